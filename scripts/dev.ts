/** `npm run dev`: a real n8n that has this package and loads each change to it. Its data is kept in `.cache/dev`. */
import { join } from 'node:path';

import { startDev } from './dev/startDev';
import { interrupted } from './interrupted';
import { ensureHost, OWNER, projectRoot } from './n8nHost';

const say = (text: string): void => console.log(`${new Date().toLocaleTimeString('en-GB')}  ${text}`);

async function dev(): Promise<void> {
	await ensureHost();
	say('Building, and starting n8n');
	const { n8n, stop } = await startDev({ root: projectRoot, userFolder: join(projectRoot, '.cache/dev'), say });
	say(`${n8n.url} is open and shows every change. Login ${OWNER.email}, password ${OWNER.password}; Ctrl-C ends it`);
	await interrupted;
	say('Ending n8n');
	await stop();
}

dev().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
