"""What is kept in the database, on SQLite and on PostgreSQL alike."""
