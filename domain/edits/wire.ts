/** What `/api/agent` takes and gives. Paths, fields and status words are contract: clients are written against them. */
export * from './checkpoint-wire.ts';
export * from './job-wire.ts';
export { type ReviewSummary, reviewSummarySchema } from './review-summary.ts';
export * from './review-wire.ts';
export * from './session-wire.ts';
