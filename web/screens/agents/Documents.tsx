import { useQuery } from '@tanstack/react-query';
import { agentsApi } from '../../agents-api.ts';
import { PickList } from '../../components/PickList.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useWorkspace } from '../../queries.ts';
import { useForm } from './form.ts';

const ALL = '*';

interface Props {
  /** " it passes on": what tells these from others on the page. */
  which?: string;
  named: readonly string[];
  onChange: (named: string[]) => void;
}

/** All documents of the workspace, or some. */
export function Documents({ which = '', named, onChange }: Props) {
  const { disabled } = useForm();
  const workspace = useWorkspace();
  const { data: sources = [] } = useQuery({
    queryKey: ['knowledge-all', workspace?.id],
    queryFn: () => agentsApi.knowledgeSources(workspace?.id ?? ''),
    enabled: workspace !== undefined,
  });
  const isAll = named.includes(ALL);
  return (
    <>
      <Segments
        label={`Documents${which}`}
        value={isAll ? 'all' : 'some'}
        choices={[
          { value: 'all', name: 'All documents' },
          { value: 'some', name: 'Only these' },
        ]}
        onChange={(choice) => onChange(choice === 'all' ? [ALL] : [])}
      />
      {!isAll && (
        <PickList
          label={`documents${which}`}
          add={`Add a document${which}`}
          disabled={disabled}
          chosen={named.map((id) => ({
            id,
            name: sources.find((source) => source.id === id)?.name ?? 'A document that is not there any more',
          }))}
          others={sources.filter(({ id }) => !named.includes(id))}
          onAdd={(id) => onChange([...named, id])}
          onRemove={(id) => onChange(named.filter((each) => each !== id))}
        />
      )}
    </>
  );
}
