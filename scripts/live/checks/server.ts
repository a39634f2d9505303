/** What Comfy Manage Jobs and Queue asks of an engine. */
import { isRecord } from '../../../client';
import { hold, type Report } from '../report';
import type { Stage } from '../stage';

const CLASS = 'SaveImage';

export async function checkServer({ connection, signal }: Stage, report: Report): Promise<void> {
	const { control } = connection;
	await report.check('Queue', async () => {
		const queue = await control?.queue({ signal });
		hold(queue !== undefined, 'the engine has no queue');
		return { said: `${queue.running.length} running, ${queue.pending.length} waiting` };
	});

	await report.check('Node definitions', async () => {
		const definition = (await control?.nodeDefinitions({ classes: [CLASS], signal }))?.[CLASS];
		const inputs = isRecord(definition?.input) && isRecord(definition.input.required) ? Object.keys(definition.input.required) : [];
		hold(inputs.includes('images'), `${CLASS} has no input "images" but ${JSON.stringify(inputs)}`);
		return { said: `${CLASS} takes ${inputs.join(', ')}` };
	});
}
