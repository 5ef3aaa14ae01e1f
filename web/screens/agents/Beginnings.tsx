import { useQuery } from '@tanstack/react-query';
import { FilePlus2, FileUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { draftOf } from '../../agent-draft.ts';
import { rightsInWords } from '../../agent-words.ts';
import { agentsApi, type Template } from '../../agents-api.ts';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { ImportYaml } from './ImportYaml.tsx';

interface Props {
  workspaceId: string;
  onTemplate: (template: Template) => void;
  onBlank: () => void;
}

/** What a new agent begins with. */
export function Beginnings({ workspaceId, onTemplate, onBlank }: Props) {
  const [imports, setImports] = useState(false);
  const templates = useQuery({
    queryKey: ['templates'],
    queryFn: agentsApi.templates,
    staleTime: 60_000,
    select: ({ items }) => items,
  });
  return (
    <div className="mx-auto flex max-w-5xl flex-col gap-6 p-6 max-sm:p-4">
      <p className="text-soft">Begin with a template and change what you like; nothing is made until you save it.</p>
      {templates.error && !templates.data && (
        <ErrorNote title="The templates could not be read" error={templates.error} />
      )}
      <ul
        aria-label="Templates"
        aria-busy={templates.isPending}
        className="grid grid-cols-3 gap-4 max-lg:grid-cols-2 max-sm:grid-cols-1"
      >
        {templates.data?.map((template) => (
          <Choice
            key={template.id}
            name={template.name}
            about={template.description}
            onChoose={() => onTemplate(template)}
          >
            <p className="text-small text-faint">{rightsInWords(draftOf(template.agent)).join(' ')}</p>
          </Choice>
        ))}
        {templates.isPending &&
          [0, 1, 2].map((each) => (
            <li key={each} className="flex h-32 flex-col gap-3 rounded-lg border border-line p-4">
              <Skeleton className="w-1/2" />
              <Skeleton className="w-full" />
            </li>
          ))}
        <Choice name="Blank" about="An agent that may read nothing yet; you say all of it." onChoose={onBlank}>
          <FilePlus2 aria-hidden size={16} className="text-faint" />
        </Choice>
        <Choice
          name="Import YAML"
          about="From a file that was exported here or elsewhere."
          onChoose={() => setImports(true)}
        >
          <FileUp aria-hidden size={16} className="text-faint" />
        </Choice>
      </ul>
      <ImportYaml workspaceId={workspaceId} open={imports} onOpenChange={setImports} />
    </div>
  );
}

interface ChoiceProps {
  name: string;
  about: string;
  onChoose: () => void;
  children: ReactNode;
}

function Choice({ name, about, onChoose, children }: ChoiceProps) {
  return (
    <li className="relative flex flex-col gap-2 rounded-lg border border-line p-4 hover:border-control hover:bg-hover">
      <h2 className="font-semibold">
        <button type="button" className="text-left after:absolute after:inset-0 after:rounded-lg" onClick={onChoose}>
          {name}
        </button>
      </h2>
      <p className="text-soft">{about}</p>
      <div className="mt-auto pt-1">{children}</div>
    </li>
  );
}
