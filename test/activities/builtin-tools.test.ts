import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ownSchemas } from '../../activities/tools/index.ts';
import { BUILTIN_TOOLS } from '../../domain/builtin-tools.ts';

const FILE = fileURLToPath(new URL('../../domain/builtin-tools.ts', import.meta.url));

const text = () => `import type { ToolSchema } from './model.ts';

/**
 * The tools that come with the product, as models see them: what lists and forms show without knowing how they work.
 * Written from activities/tools by \`LONGHAUL_RECORD=1 npm test -- test/activities/builtin-tools\`.
 */
export const BUILTIN_TOOLS: ToolSchema[] = ${JSON.stringify(ownSchemas())};
`;

it('[7] the built-in tools that are listed are those that agents are given', async () => {
  if (process.env.LONGHAUL_RECORD) await writeFile(FILE, text());
  else expect(BUILTIN_TOOLS).toEqual(ownSchemas());
});
