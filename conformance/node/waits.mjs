// Runs a library at its defaults, with attempts that fail in one way, and writes the waits before its retries in
// milliseconds, a path each, as JSON. Usage: node waits.mjs PRESET CLASS ATTEMPTS PATHS

import { waits } from "./bubble.mjs";
import axios from "axios";
import axiosRetry from "axios-retry";
import { Job } from "bullmq";
import { ExponentialBackoff, handleAll, retry } from "cockatiel";
import { KafkaJSError } from "kafkajs/src/errors.js";
import createKafkaRetrier from "kafkajs/src/retry/index.js";
import pRetry from "p-retry";
import { createHttpHeaders, createPipelineRequest, RestError } from "@typespec/ts-http-runtime";
import { defaultRetryPolicy } from "@typespec/ts-http-runtime/internal/policies";

const [preset, failure, attempts, paths] = process.argv.slice(2);

// The HTTP status of a failure; none where there is no answer.
const status = { overloaded: 503, rateLimited: 429, transient: 500, permanent: 404, conflict: 409 }[failure];

// Each makes attempts until one of them returns, or the library gives up.
const libraries = {
  "p-retry": (attempt) => pRetry(attempt),
  "axios-retry": (attempt) => {
    const client = axios.create({
      adapter: async (config) => {
        const answer = (status) => ({ data: "", status, statusText: "", headers: {}, config });
        if (succeeds(attempt)) return answer(200);
        if (status) throw new axios.AxiosError("down", "ERR_BAD_RESPONSE", config, null, answer(status));
        throw new axios.AxiosError("down", failure === "timeout" ? "ECONNABORTED" : "ECONNREFUSED", config);
      },
    });
    axiosRetry(client);
    return client.get("http://localhost");
  },
  cockatiel: (attempt) => retry(handleAll, { backoff: new ExponentialBackoff() }).execute(attempt),
  kafkajs: (attempt) =>
    createKafkaRetrier()(async () => {
      if (!succeeds(attempt)) throw new KafkaJSError("down", { retriable: failure !== "permanent" });
    }),
  // What its worker does with a job that fails, without the queue that it waits in.
  bullmq: async (attempt) => {
    const job = { opts: { attempts: 3, backoff: { type: "exponential", delay: 1000 } }, attemptsMade: 0, queue: { opts: {} } };
    for (; !succeeds(attempt); job.attemptsMade++) {
      const [again, delay] = await Job.prototype.shouldRetryJob.call(job, new Error("down"));
      if (!again) return;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  },
  "azure-js": (attempt) =>
    defaultRetryPolicy().sendRequest(createPipelineRequest({ url: "http://localhost" }), async (request) => {
      const hint = status === 429 ? { "Retry-After": "1" } : {}; // it retries a 429 only with one
      const answer = (status) => ({ request, status, headers: createHttpHeaders(hint) });
      if (succeeds(attempt)) return answer(200);
      if (status) return answer(status);
      throw new RestError("down", { code: failure === "timeout" ? "ETIMEDOUT" : "ECONNREFUSED", request });
    }),
};

function succeeds(attempt) {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const all = [];
for (let i = 0; i < Number(paths); i++) all.push(await waits(libraries[preset], Number(attempts)));
process.stdout.write(JSON.stringify(all));
