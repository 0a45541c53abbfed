// What is exported, given to the packages that it is for. CASES names a file with, by format, texts, and what each is to do:
// attempts, 0 without a limit, and the bounds of its first waits in milliseconds.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { clock, waits } from "./bubble.mjs";
import { validateServiceConfig } from "@grpc/grpc-js/build/src/service-config.js";
import asl from "amazon-states-language-service";
import { Backoffs, Job } from "bullmq";

const cases = JSON.parse(readFileSync(process.env.CASES, "utf8"));

// within asserts that waits are as many as there are attempts for, and none off its bounds by more than so much.
function within(got, { attempts, bounds, text }, slack) {
  const most = bounds.length;
  assert.equal(got.length, attempts ? Math.min(attempts - 1, most) : most, text);
  got.forEach((wait, i) => {
    const [least, longest] = bounds[i];
    assert.ok(wait >= least - slack && wait <= longest + slack, `retry ${i + 1} waits ${wait} ms, want ${bounds[i]}: ${text}`);
  });
}

test("grpc-js accepts service configs", () => {
  for (const { text } of cases.grpc) validateServiceConfig(JSON.parse(text));
  const broken = JSON.parse(cases.grpc[0].text);
  broken.methodConfig[0].retryPolicy.initialBackoff = "1m";
  assert.throws(() => validateServiceConfig(broken));
});

test("AWS's validator accepts states", async () => {
  const service = asl.getLanguageService({});
  const problems = async (state) => {
    const task = { Type: "Task", Resource: "arn:aws:states:::http:invoke", End: true };
    const text = JSON.stringify({ StartAt: "Call", States: { Call: { ...task, ...state } } });
    const document = asl.TextDocument.create("state.asl.json", "json", 1, text);
    return service.doValidation(document, service.parseJSONDocument(document));
  };
  for (const { text } of cases["step-functions"]) assert.deepEqual(await problems(JSON.parse(text)), [], text);
  const broken = JSON.parse(cases["step-functions"][0].text);
  broken.Retry[0].IntervalSeconds = 0.5;
  assert.notDeepEqual(await problems(broken), []);
});

test("BullMQ accepts job options and waits as they say", () => {
  const validate = (opts) => Job.prototype.validateOptions.call({ opts }, {});
  for (const one of cases.bullmq) {
    const opts = JSON.parse(one.text);
    validate(opts);
    assert.equal(opts.attempts, one.attempts);
    const drawn = one.bounds.slice(0, opts.attempts - 1).map((_, i) => Backoffs.calculate(Backoffs.normalize(opts.backoff), i + 1, new Error(), {}));
    within(drawn, one, 1);
  }
  assert.throws(() => validate({ attempts: 3, backoff: { type: "fixed", delay: 1000, jitter: 2 } }));
});

test("cockatiel's code compiles and waits as it says", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "cockatiel-"));
  t.after(() => rmSync(dir, { recursive: true }));
  symlinkSync(join(import.meta.dirname, "node_modules"), join(dir, "node_modules"));
  writeFileSync(join(dir, "package.json"), '{"type": "module"}');
  t.mock.method(Date, "now", clock); // its breaker asks for the time
  const all = [...cases.cockatiel, ...cases.cockatielBreakers];
  const names = all.map((_, i) => `retry${i}.ts`);
  names.forEach((name, i) => writeFileSync(join(dir, name), all[i].text));
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({
    compilerOptions: { strict: true, target: "es2022", module: "nodenext", noUnusedLocals: true, types: [], skipLibCheck: true },
    files: names,
  }));
  const tsc = spawnSync(process.execPath, [join(dir, "node_modules/typescript/bin/tsc"), "-p", dir], { encoding: "utf8" });
  assert.equal(tsc.status, 0, tsc.stdout.slice(0, 1000));
  for (const [i, one] of all.entries()) {
    if (i < cases.cockatiel.length && one.text.includes("circuitBreaker(")) continue; // it need not make all its attempts
    const { policy } = await import(pathToFileURL(join(dir, names[i].replace(".ts", ".js"))));
    const retrying = policy(() => true);
    within(await waits((attempt) => retrying.execute(attempt), one.bounds.length + 1), one, 1);
  }
});
