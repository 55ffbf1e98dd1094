// Light, dark, or as the system has it: kept in this browser alone.
window.greenroomColours = () => {
  const dark = document.body.classList.contains("body--dark");
  localStorage.setItem("greenroom-colours", dark ? "light" : "dark");
  apply();
};
function apply() {
  const chosen = localStorage.getItem("greenroom-colours");
  if (window.Quasar && chosen) Quasar.Dark.set(chosen === "dark");
}
addEventListener("DOMContentLoaded", () => {
  let tries = 0;
  const timer = setInterval(() => {
    if (window.Quasar) { apply(); clearInterval(timer); }
    if (++tries > 200) clearInterval(timer);
  }, 10);
});
