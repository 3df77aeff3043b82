import { z } from 'zod';

/** What players read. */
export const rainTitle = z.string().trim().min(1, 'expected a title').max(200, 'expected at most 200 characters')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected printable characters');
