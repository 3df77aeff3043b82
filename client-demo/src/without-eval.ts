import { config } from 'zod';

// Otherwise zod would try to compile code, which this page's content security policy forbids and reports.
config({ jitless: true });
