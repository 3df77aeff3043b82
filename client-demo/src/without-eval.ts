import { config } from 'zod';

// Schemas would else try whether they may compile code, which this page's content security policy forbids and reports.
config({ jitless: true });
