// Reads a stream of server-sent events that a request was answered with.

import { broken } from "./retry.js";

// events yields {kind, data} for each, the data parsed. Comments are skipped.
export async function* events(response) {
  let text = "";
  for await (const chunk of chunks(response)) {
    text += chunk;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part)?.[1];
      if (kind) yield { kind, data: JSON.parse(/^data: (.*)$/m.exec(part)[1]) };
    }
  }
}

async function* chunks(response) {
  try {
    yield* response.body.pipeThrough(new TextDecoderStream());
  } catch (error) {
    broken(error);
  }
}
