import { useQueryClient } from '@tanstack/react-query';
import { Versions } from '../definitions/Versions.tsx';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

export function HistorySection({ version, isChanged }: { version: number; isChanged: boolean }) {
  const { agentId, disabled } = useForm();
  const client = useQueryClient();
  return (
    <FormSection
      id="history"
      about="Every version there has been. A run keeps the version it began with; rolling back makes a new one."
      after={
        agentId && (
          <Versions
            id={agentId}
            version={version}
            mayChange={!disabled}
            isDirty={isChanged}
            onChanged={() => {
              void client.invalidateQueries({ queryKey: ['agent', agentId] });
              void client.invalidateQueries({ queryKey: ['agents'] });
            }}
          />
        )
      }
    >
      {agentId === null ? <p className="text-faint">It begins when the agent is made.</p> : null}
    </FormSection>
  );
}
