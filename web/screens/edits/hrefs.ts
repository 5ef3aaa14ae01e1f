export const jobHref = (id: string): string => `/edits/${encodeURIComponent(id)}`;
export const checkpointHref = (id: string): string => `/checkpoints/${encodeURIComponent(id)}`;
export const checkpointsHref = (notebookId: string): string =>
  `/checkpoints?notebook=${encodeURIComponent(notebookId)}`;
