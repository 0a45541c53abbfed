// Runs a library at its defaults, and writes the waits before its retries in milliseconds, a path each, as JSON.
// Usage: node waits.mjs PRESET ATTEMPTS PATHS

import { waits } from "./bubble.mjs";
import axios from "axios";
import axiosRetry from "axios-retry";
import createKafkaRetrier from "kafkajs/src/retry/index.js";
import pRetry from "p-retry";
import { createHttpHeaders, createPipelineRequest } from "@typespec/ts-http-runtime";
import { defaultRetryPolicy } from "@typespec/ts-http-runtime/internal/policies";

// Each makes attempts until one of them returns, or the library gives up.
const libraries = {
  "p-retry": (attempt) => pRetry(attempt),
  "axios-retry": (attempt) => {
    const client = axios.create({
      adapter: async (config) => {
        const answer = { data: "", status: succeeds(attempt) ? 200 : 503, statusText: "", headers: {}, config };
        if (answer.status === 200) return answer;
        throw new axios.AxiosError("down", "ERR_BAD_RESPONSE", config, null, answer);
      },
    });
    axiosRetry(client);
    return client.get("http://localhost");
  },
  kafkajs: (attempt) => createKafkaRetrier()(async () => attempt()),
  "azure-js": (attempt) =>
    defaultRetryPolicy().sendRequest(createPipelineRequest({ url: "http://localhost" }), async (request) => ({
      request, status: succeeds(attempt) ? 200 : 503, headers: createHttpHeaders(),
    })),
};

function succeeds(attempt) {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const [preset, attempts, paths] = process.argv.slice(2);
const all = [];
for (let i = 0; i < Number(paths); i++) all.push(await waits(libraries[preset], Number(attempts)));
process.stdout.write(JSON.stringify(all));
