import { z } from 'zod';
import { withProperties } from '../../domain/frontmatter.ts';
import { effectTool } from './contract.ts';
import { existing, guarded, holdToApproved, performIntent, previewOf, stageChange } from './file-changes.ts';

export const updateFilePropertiesTool = effectTool({
  name: 'update_file_properties',
  description:
    'Set properties in the frontmatter of a file of the notebook; those not named, comments and the text stay as they are. A person may have to allow it.',
  aliases: [],
  argument_aliases: { file_path: 'path' },
  operation: 'write',
  input: z.strictObject({
    path: z.string().min(1).describe('Path from the notebook root'),
    properties: z
      .looseObject({})
      .refine((properties) => Object.keys(properties).length > 0, 'name at least one property')
      .describe('Names and their new values; null removes a property'),
  }),
  target: ({ path }) => path,
  async preview({ path, properties }, context) {
    const before = await existing(context.files, await guarded(context, 'write', path));
    return previewOf(before, withProperties(before.text, properties));
  },
  async prepare({ path, properties }, context, key, approved) {
    const before = await existing(context.files, await guarded(context, 'write', path));
    const after = withProperties(before.text, properties);
    holdToApproved(before, approved, after);
    return stageChange(context.files, before, after, key);
  },
  perform: performIntent,
});
