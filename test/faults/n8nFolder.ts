/** To be imported before n8n's engine: where it keeps files of this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'comfy-faults-'));
process.env.N8N_USER_FOLDER = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
