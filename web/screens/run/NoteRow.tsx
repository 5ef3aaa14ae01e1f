import {
  CirclePause,
  CirclePlay,
  CornerDownRight,
  FileWarning,
  FolderGit2,
  GitBranch,
  Hourglass,
  type LucideIcon,
  Pin,
  Shuffle,
  TriangleAlert,
} from 'lucide-react';
import { firstLine } from '../../format.ts';
import type { Tone } from '../../status.ts';
import type { NoteItem } from '../../transcript-items.ts';
import { MapNode, type Shape } from './MapNode.tsx';
import { noteWords } from './note-words.ts';

const LOOKS: Record<NoteItem['kind'], { icon: LucideIcon; tone: Tone }> = {
  message: { icon: CornerDownRight, tone: 'quiet' },
  context: { icon: Pin, tone: 'quiet' },
  warning: { icon: TriangleAlert, tone: 'waits' },
  rejected: { icon: FileWarning, tone: 'waits' },
  provider: { icon: Shuffle, tone: 'quiet' },
  rate_limit: { icon: Hourglass, tone: 'waits' },
  pause: { icon: CirclePause, tone: 'quiet' },
  checkout: { icon: FolderGit2, tone: 'quiet' },
  inherited: { icon: GitBranch, tone: 'quiet' },
};

export function NoteRow({ item, ...shape }: Shape & { item: NoteItem }) {
  const { icon, tone } = LOOKS[item.kind];
  const { lead, rest } = noteWords(item);
  return (
    <MapNode
      icon={item.kind === 'pause' && !item.is_paused ? CirclePlay : icon}
      tone={tone}
      title={
        <>
          <span className="font-medium">{lead}</span> <span className="text-soft">{firstLine(rest)}</span>
        </>
      }
      {...shape}
    />
  );
}
