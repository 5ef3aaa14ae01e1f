import { Failure, isFailure } from '../../domain/failures.ts';
import type { ToolContext } from './contract.ts';

/** For notebooks that have none of their own; a template of the notebook with the same name goes before. */
export const BUILT_IN_TEMPLATES: Record<string, string> = {
  note: '# {{title}}\n\n{{content}}\n',
  meeting: '# {{title}}\n\n## Present\n\n## Decided\n\n{{content}}\n\n## To do\n\n- [ ] \n',
  experiment: '# {{title}}\n\n## Question\n\n{{content}}\n\n## Method\n\n## Results\n\n## Conclusion\n',
};

const FOLDERS = ['/templates', '/.templates'];
const stem = (name: string): string => name.replace(/(?<=.)\.\w+$/, '');

/** Templates are read like every other file: only where the agent may read them. */
async function ownTemplates({ files, may }: ToolContext): Promise<{ name: string; path: string }[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) => {
      try {
        return await files.entries(await files.actual(folder));
      } catch (error) {
        // Most notebooks have no such folder, and in some it is no business of theirs.
        if (isFailure(error)) return [];
        throw error;
      }
    }),
  );
  return found.flat().filter(({ type, path }) => type === 'file' && may('read', path));
}

export async function templateText(name: string, context: ToolContext): Promise<string> {
  const own = await ownTemplates(context);
  const chosen = own.find((file) => file.name === name) ?? own.find((file) => stem(file.name) === name);
  if (chosen) return (await context.files.read(chosen.path)).text;
  const text = Object.hasOwn(BUILT_IN_TEMPLATES, name) ? BUILT_IN_TEMPLATES[name] : undefined;
  if (text !== undefined) return text;
  const names = [...new Set([...own.map((file) => stem(file.name)), ...Object.keys(BUILT_IN_TEMPLATES)])];
  throw new Failure('no_such_file', `There is no template ${name}.`, { templates: names });
}

export function fillTemplate(template: string, path: string, content: string): string {
  const title = stem(path.slice(path.lastIndexOf('/') + 1));
  const holds = template.includes('{{content}}');
  // In one go: what the content says is text, also where it looks like a placeholder.
  const filled = template.replace(/\{\{(title|content)\}\}/g, (_, what: string) =>
    what === 'title' ? title : content,
  );
  if (holds || content === '') return filled;
  return `${filled}${filled.endsWith('\n') || filled === '' ? '' : '\n'}${content}`;
}
