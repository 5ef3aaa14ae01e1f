import { NumberField } from '../../components/NumberField.tsx';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

export function Limits() {
  const { draft, change, errorOf } = useForm();
  return (
    <FormSection
      id="limits"
      about="What one run may use, with all it hands to others. A run that reaches a limit sums up and stops; one that has had its requests for the hour waits for its turn."
    >
      <div className="grid grid-cols-3 gap-4 max-lg:grid-cols-2 max-sm:grid-cols-1">
        <NumberField
          label="Turns"
          error={errorOf('max_iterations')}
          empty="50, on git notebooks 24"
          value={draft.max_iterations}
          onChange={(max_iterations) => change({ max_iterations })}
        />
        <NumberField
          label="Tokens"
          error={errorOf('max_token_budget')}
          value={draft.max_token_budget}
          onChange={(value) => change({ max_token_budget: value ?? 0 })}
        />
        <NumberField
          label="Cost in USD"
          empty="no limit"
          fractional
          hint="Needs a model whose price is known."
          error={errorOf('max_cost_usd')}
          value={draft.max_cost_usd}
          onChange={(max_cost_usd) => change({ max_cost_usd })}
        />
        <NumberField
          label="Seconds at work"
          empty="no limit"
          hint="Waiting for people does not count."
          error={errorOf('max_duration')}
          value={draft.max_duration}
          onChange={(max_duration) => change({ max_duration })}
        />
        <NumberField
          label="Requests an hour"
          empty="no limit"
          hint="Over all its runs."
          error={errorOf('max_requests_per_hour')}
          value={draft.max_requests_per_hour}
          onChange={(max_requests_per_hour) => change({ max_requests_per_hour })}
        />
        <NumberField
          label="Tokens an answer"
          error={errorOf('max_tokens_per_request')}
          value={draft.max_tokens_per_request}
          onChange={(value) => change({ max_tokens_per_request: value ?? 0 })}
        />
      </div>
    </FormSection>
  );
}
