import { useQuery } from '@tanstack/react-query';
import { agentsApi } from '../../agents-api.ts';
import { PickList } from '../../components/PickList.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useWorkspace } from '../../queries.ts';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

const ALL = '*';

export function KnowledgeSection() {
  const { draft, change, errorOf, disabled } = useForm();
  const workspace = useWorkspace();
  const { data: sources = [] } = useQuery({
    queryKey: ['knowledge-all', workspace?.id],
    queryFn: () => agentsApi.knowledgeSources(workspace?.id ?? ''),
    enabled: workspace !== undefined,
  });
  const named = draft.knowledge_sources;
  const isAll = named.includes(ALL);
  const set = (knowledge_sources: string[]): void => change({ knowledge_sources });
  return (
    <FormSection id="knowledge" about="Documents it may search and quote, beside the files of its notebooks.">
      <Segments
        label="Knowledge"
        value={isAll ? 'all' : 'some'}
        choices={[
          { value: 'all', name: 'All documents' },
          { value: 'some', name: 'Only these' },
        ]}
        onChange={(choice) => set(choice === 'all' ? [ALL] : [])}
      />
      {!isAll && (
        <PickList
          label="documents"
          add="Add a document"
          disabled={disabled}
          chosen={named.map((id) => ({
            id,
            name: sources.find((source) => source.id === id)?.name ?? 'A document that is not there any more',
          }))}
          others={sources.filter(({ id }) => !named.includes(id))}
          onAdd={(id) => set([...named, id])}
          onRemove={(id) => set(named.filter((each) => each !== id))}
        />
      )}
      {errorOf('knowledge_sources') && <p className="text-small text-failed">{errorOf('knowledge_sources')}</p>}
    </FormSection>
  );
}
