// Asks the server, says what went wrong with that, and when to try again.

const waits = { base: 1000, cap: 30_000 }; // ms: full jitter, exponential

// request fetches what is of one of the types. Its errors say what went wrong for a reader, whether to try again, and
// after how many seconds.
export async function request(address, options, ...types) {
  const response = await fetch(address, options).catch(broken);
  const type = response.headers.get("Content-Type") ?? "";
  if (types.some((wanted) => type.startsWith(wanted))) return response;
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? `The server answered ${response.status}.`), {
    status: response.status,
    again: response.status >= 500,
    after: secondsUntil(response.headers.get("Retry-After")),
  });
}

// broken tells what the network failed at from other errors: that may pass.
export function broken(error) {
  if (!(error instanceof TypeError) && error.name !== "NetworkError") throw error;
  throw Object.assign(new Error("The server does not answer."), { again: true });
}

// brokenOff is an answer that ended before it was complete.
export function brokenOff() {
  return Object.assign(new Error("The server broke off."), { again: true });
}

// secondsUntil reads a Retry-After: so many seconds, or a date.
function secondsUntil(hint) {
  if (!hint) return 0;
  const seconds = Number(hint);
  return Math.max(0, Number.isNaN(seconds) ? (Date.parse(hint) - Date.now()) / 1000 : seconds) || 0;
}

// waitBefore is how many ms to wait after an error, the first or one of several in a row: full jitter, as the page
// recommends, and not less than the server said.
export function waitBefore(error, failures) {
  return (error.after ?? 0) * 1000 + Math.random() * Math.min(waits.cap, waits.base * 2 ** failures);
}

// waiting says so.
export function waiting(error, wait) {
  return `${error.message} Trying again in ${Math.max(1, Math.round(wait / 1000))} s.`;
}
