// Takes documents that are dropped on the page, or pasted into its field, which works without this script as well.

const most = 1 << 20; // bytes that the server takes
const form = () => document.getElementById("pasting");

// documents has post called with what is to be sent, and refuse with why something cannot be.
export function documents(post, refuse) {
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", async (event) => {
    document.body.classList.remove("dropping");
    const files = event.dataTransfer?.files ?? [];
    if (files.length === 0) return;
    event.preventDefault();
    if (files.length > 1) return refuse("Drop one file at a time.");
    if (tooLong(files[0].size, refuse)) return;
    const text = await files[0].text();
    form().elements.document.value = text; // so that it can be mended if there is something wrong with it
    post(data());
  });
  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    event.preventDefault();
    const sent = data();
    const size = new Blob([sent.get("document")]).size + sent.get("file").size;
    if (!tooLong(size, refuse)) post(sent);
  });
}

function data() {
  return new FormData(form());
}

function tooLong(size, refuse) {
  const long = size > most - 4096; // the form around it takes some
  if (long) refuse(`That document has ${(size / most).toFixed(2)} MiB. It may have 1 MiB at most.`);
  return long;
}

// taken empties the field, unless something is wrong with what is in it: then it is shown.
export function taken() {
  if (!form().querySelector(".error")) form().reset();
  if (form().querySelector(".error, .import-notes")) form().scrollIntoView({ block: "nearest" });
}
