// Copies the snippets under "Share", and exports. Each button names the field that it copies; the field itself can always be selected.

document.documentElement.classList.add("copying");

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  // Where the page is not served securely there is no clipboard but the old command's.
  const copied = await (navigator.clipboard?.writeText(field.value).then(() => true, () => false) ?? document.execCommand("copy"));
  button.textContent = copied ? "copied" : "press Ctrl+C";
  setTimeout(() => (button.textContent = "copy"), 2000);
});
