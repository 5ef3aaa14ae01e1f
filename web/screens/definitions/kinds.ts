import { Gauge, type LucideIcon, PlugZap, Wrench } from 'lucide-react';
import type { DefinedKind } from '../../definitions-api.ts';

interface Words {
  title: string;
  icon: LucideIcon;
  make: string;
  empty: string;
  /** Teaches what will be here. */
  teaches: string;
}

export const KIND_WORDS: Record<DefinedKind, Words> = {
  tool: {
    title: 'Tools',
    icon: Wrench,
    make: 'New tool',
    empty: 'No tools of your own yet',
    teaches:
      'A tool is something agents can be given: an endpoint of an integration, a workflow, or a built-in tool under another name and a narrower schema.',
  },
  integration: {
    title: 'Integrations',
    icon: PlugZap,
    make: 'New integration',
    empty: 'No integrations yet',
    teaches:
      'An integration is another system that agents may ask: its address, its endpoints with what they take and give, and a credential that is added here and shown to nobody. Nothing else on the network can be reached.',
  },
  evaluator: {
    title: 'Evaluators',
    icon: Gauge,
    make: 'New evaluator',
    empty: 'No evaluators yet',
    teaches: 'An evaluator says how good an answer is: criteria for a judging model, and rules that need none.',
  },
};
