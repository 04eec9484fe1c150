// The worker in which the compiler runs: a request in, its answer out, both plain objects, one at a time. What fails here fails for
// good: the page ends this worker and starts another.
import init, { answer } from "mclive-worker";

const ready = init({ module_or_path: new URL(COMPILER_WASM, self.location.href) }).then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ broken: String(error) }),
);

self.onmessage = async ({ data }) => {
  await ready;
  try {
    self.postMessage({ answer: answer(data) });
  } catch (error) {
    self.postMessage({ broken: String(error) });
  }
};
