import type { Logger } from 'pino';
import { recover } from '../files/journal.ts';
import { NotebookFiles } from '../files/notebook-files.ts';
import { folderNotebooks } from '../store/notebook-upkeep.ts';

/** When a worker starts: what one before it has left half done in a notebook is finished or taken back, before anybody looks. */
export async function recoverApplies(logger: Logger): Promise<void> {
  for await (const { _id, path } of folderNotebooks()) {
    // A folder that is gone or not to be read is told to whoever uses it.
    const files = await NotebookFiles.at(path).catch(() => null);
    if (!files) continue;
    await recover(files).catch((err: unknown) =>
      logger.warn({ err, notebook_id: _id }, 'changes that were cut off could not be looked after'),
    );
  }
}
