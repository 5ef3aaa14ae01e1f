import { config } from 'zod';

/**
 * Schemas are not compiled into functions: the page does not let code be made from text. To be loaded before any
 * module that has schemas; only what needs them to check what somebody types does.
 */
config({ jitless: true });
