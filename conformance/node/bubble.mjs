// Time that passes by itself, and chance that is the same each time, for whatever is loaded after this.

// A timer fires at once, and the clock says that it has waited.
let now = 0;
// clock is the time that has passed, in milliseconds.
export const clock = () => now;

globalThis.setTimeout = (callback, delay, ...args) => {
  const due = now + delay;
  queueMicrotask(() => {
    now = due;
    callback(...args);
  });
  return { ref() {}, unref() {} };
};
globalThis.clearTimeout = () => {};

// Marsaglia's xorshift with 32 bits.
let state = 1;
Math.random = () => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
};

const down = new Error("down");

// waits runs what makes attempts, so many of which fail, and returns the milliseconds between them.
export async function waits(run, attempts) {
  const at = [];
  try {
    await run(() => {
      at.push(now);
      if (at.length < attempts) throw down;
    });
  } catch (error) {
    if (!at.length) throw error;
    // It has given up.
  }
  return at.slice(1).map((t, i) => t - at[i]);
}
