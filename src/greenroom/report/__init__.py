"""What a finished batch looks like to people and to other programs.

`results` holds the report as data; `terminal`, `junit` and `json_report` write it, `progress` shows it in the making.
"""
