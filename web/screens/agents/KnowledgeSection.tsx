import { Documents } from './Documents.tsx';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

export function KnowledgeSection() {
  const { draft, change, errorOf } = useForm();
  return (
    <FormSection id="knowledge" about="Documents it may search and quote, beside the files of its notebooks.">
      <Documents named={draft.knowledge_sources} onChange={(knowledge_sources) => change({ knowledge_sources })} />
      {errorOf('knowledge_sources') && <p className="text-small text-failed">{errorOf('knowledge_sources')}</p>}
    </FormSection>
  );
}
