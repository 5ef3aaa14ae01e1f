import { deleteFileTool } from '../delete-file.ts';
import { domainTools } from '../domain-tools.ts';
import { listFilesTool } from '../list-files.ts';
import { readFileTool } from '../read-file.ts';
import { searchProjectTool } from '../search-project.ts';
import { writeFileTool } from '../write-file.ts';
import { applyPatchTool } from './apply-patch.ts';
import { moveTool } from './move.ts';

/** The files of a run's own checkout. What the file tools do is done by them; scope and links are theirs to hold. */
export const workspaceTools = domainTools('workspace', {
  description: 'Reads and changes the files of the checkout; paths begin at its root.',
  notebooks: ['git'],
  operations: {
    list: listFilesTool,
    read: readFileTool,
    write: writeFileTool,
    search: searchProjectTool,
    apply_patch: applyPatchTool,
    move: moveTool,
    delete: deleteFileTool,
  },
});
