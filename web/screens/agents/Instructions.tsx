import { TextArea } from '../../components/Fields.tsx';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

export function Instructions() {
  const { draft, change, errorOf } = useForm();
  return (
    <FormSection id="instructions" about="What the model is told before anything else.">
      <TextArea
        label="System prompt"
        rows={8}
        className="max-h-[32rem] font-mono text-small"
        maxLength={100_000}
        hint="Left empty, one is made from the rights and the scope below. Rules about files belong there: what stands here is a request, what stands there is enforced."
        error={errorOf('system_prompt')}
        value={draft.system_prompt}
        onChange={({ target }) => change({ system_prompt: target.value })}
      />
    </FormSection>
  );
}
