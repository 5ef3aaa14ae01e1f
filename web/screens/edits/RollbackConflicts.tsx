import { TriangleAlert } from 'lucide-react';
import type { RollbackReply } from '../../../domain/edits/wire.ts';
import { Button } from '../../components/Button.tsx';
import { TextArea } from '../../components/Fields.tsx';
import { Block } from '../../components/Value.tsx';
import { plural } from '../../format.ts';

interface Props {
  reply: RollbackReply;
  contents: ReadonlyMap<string, string>;
  onContent: (path: string, content: string) => void;
}

/** Hunks that overlap what was changed later. A person says how the file is to be; only then can it be saved. */
export function RollbackConflicts({ reply, contents, onContent }: Props) {
  const paths = [...new Set(reply.conflicts.map(({ file_path }) => file_path))];
  return (
    <section aria-label="Conflicts" className="flex flex-col gap-4 border-b border-line bg-failed-wash p-4">
      <p className="flex items-center gap-2 font-medium text-failed">
        <TriangleAlert aria-hidden size={16} className="shrink-0" />
        {plural(reply.conflicts.length, 'hunk overlaps', 'hunks overlap')} what was changed later
      </p>
      {paths.map((path) => {
        const file = reply.files.find(({ file_path }) => file_path === path);
        return (
          <div key={path} className="flex flex-col gap-3">
            <p className="font-mono text-small font-medium">{path}</p>
            {reply.conflicts
              .filter(({ file_path }) => file_path === path)
              .map(({ hunk_id, message, current, wanted, start_line }) => (
                <div key={hunk_id} className="flex flex-col gap-2">
                  <p className="text-small">
                    Line {start_line}: {message}
                  </p>
                  <div className="grid gap-2 sm:grid-cols-2">
                    <Captioned label="There now" text={current} />
                    <Captioned label="Going back would put" text={wanted} />
                  </div>
                </div>
              ))}
            <TextArea
              label={`${path} as it is to be`}
              rows={8}
              className="max-h-96 overflow-auto font-mono text-small"
              spellCheck={false}
              value={contents.get(path) ?? file?.working_buffer ?? ''}
              onChange={(event) => onContent(path, event.target.value)}
            />
            <Button
              className="self-start"
              disabled={contents.has(path)}
              onClick={() => onContent(path, file?.working_buffer ?? '')}
            >
              {contents.has(path) ? 'Will be saved like this' : 'Take it as it stands here'}
            </Button>
          </div>
        );
      })}
    </section>
  );
}

const Captioned = ({ label, text }: { label: string; text: string }) => (
  <div className="flex flex-col gap-1">
    <p className="text-small text-soft">{label}</p>
    <Block label={label} text={text || '(nothing)'} />
  </div>
);
