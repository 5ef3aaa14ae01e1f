import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

const require = createRequire(import.meta.url);

/** A file that is made to be slow or large ends its own thread and nothing else. */
const LONGEST_MS = 60_000;
const MOST_MB = 768;

const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { extractText } = require(workerData.library);
extractText(workerData.bytes, { mergePages: false }).then(
  ({ text }) => parentPort.postMessage({ pages: text }),
  (error) => parentPort.postMessage({ problem: String(error.message) }),
);`;

export type PdfText = { pages: string[] } | { problem: string };

/** The text of each page, read in a thread of its own: requests of others must not wait for it. */
export function pdfText(bytes: Uint8Array): Promise<PdfText> {
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { library: require.resolve('unpdf'), bytes },
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB },
    // What the library has to say about broken fonts is nothing for our log.
    stdout: true,
    stderr: true,
  });
  const timer = setTimeout(() => void worker.terminate(), LONGEST_MS);
  return new Promise<PdfText>((done) => {
    worker.once('message', (told: PdfText) => done(told));
    worker.once('error', (error) => done({ problem: error.message }));
    worker.once('exit', () => done({ problem: 'it took too long' }));
  }).finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}
