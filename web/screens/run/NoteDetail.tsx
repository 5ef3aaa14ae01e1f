import { Link } from 'react-router';
import { Problem } from '../../components/ErrorNote.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { ModelName } from '../../components/ModelName.tsx';
import { rowWords } from '../../context-rows.ts';
import { exactly, plural } from '../../format.ts';
import type { NoteItem } from '../../transcript-items.ts';
import { choiceWords, noteWords } from './note-words.ts';
import { Fact, Section } from './Section.tsx';
import { SpentFacts } from './Spent.tsx';

export function NoteDetail({ item }: { item: NoteItem }) {
  const { lead } = noteWords(item);
  const title = item.kind === 'message' ? `Message from ${item.by.name || 'a person'}` : lead.replace(/:$/, '');
  return (
    <Section title={title} at={item.at}>
      <Body item={item} />
    </Section>
  );
}

function Body({ item }: { item: NoteItem }) {
  switch (item.kind) {
    case 'message':
      return <Markdown text={item.content} lines />;
    case 'warning':
      return <p>{item.message}</p>;
    case 'context':
      return item.error ? (
        <Problem title={rowWords(item)} code={item.error.code} message={item.error.message} />
      ) : (
        <p className="text-soft">
          The agent was given <span className="font-mono text-small text-ink">{rowWords(item)}</span> as it was then.
        </p>
      );
    case 'rejected':
      return (
        <>
          <p className="text-soft">The model was shown what is wrong, and answers again.</p>
          <ul className="list-disc pl-5">
            {item.errors.map((error) => (
              <li key={error} className="font-mono text-small break-words">
                {error}
              </li>
            ))}
          </ul>
        </>
      );
    case 'provider':
      return (
        <dl className="flex flex-wrap gap-x-8 gap-y-2">
          <Fact name="Model">
            <ModelName model={item.model} />
          </Fact>
          <Fact name="Mode">{item.mode.replaceAll('_', ' ')}</Fact>
          <Fact name="Reason">{choiceWords(item)}</Fact>
        </dl>
      );
    case 'rate_limit':
      return (
        <p>
          Its agent may make {plural(item.limit, 'model call')} an hour, over all its runs, and they were made. Rather
          than fail, the run waits for its turn: {exactly(item.until)}.
        </p>
      );
    case 'pause':
      return (
        <p className="text-soft">
          {item.is_paused
            ? `${item.by.name || 'Somebody'} paused the run. What was under way was finished; nothing new begins.`
            : `${item.by.name || 'Somebody'} let the run go on.`}
        </p>
      );
    case 'checkout':
      return (
        <>
          <p className="text-soft">
            {item.restored
              ? 'The executor that had the files is gone, or was asked to go. This one has them as they were after the last completed step; ignored files were not kept.'
              : 'The run has a clone of the repository to itself. Nothing it changes is seen elsewhere until it is pushed.'}
          </p>
          <dl className="flex flex-wrap gap-x-8 gap-y-2">
            <Fact name="Branch">{item.branch}</Fact>
            <Fact name="Begun at">{item.base_commit.slice(0, 12)}</Fact>
            <Fact name="Executor">{item.executor}</Fact>
          </dl>
        </>
      );
    case 'inherited':
      return (
        <>
          <p>
            {item.relation === 'fork' ? 'A fork of ' : 'Goes on from '}
            <Link
              to={`/runs/${encodeURIComponent(item.from)}`}
              className="rounded font-mono text-small text-accent-ink underline"
            >
              {item.from}
            </Link>{' '}
            after its step {item.step}, with {plural(item.turns, 'turn')} taken over.
          </p>
          <div>
            <h3 className="mb-1 text-small text-faint">Used by then</h3>
            <dl className="flex flex-wrap gap-x-8 gap-y-2">
              <SpentFacts spent={item.spent} />
            </dl>
          </div>
        </>
      );
  }
}
