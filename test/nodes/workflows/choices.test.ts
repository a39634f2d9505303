import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { definitions } from '../../client/graph/convert/support/recordings';
import { runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';

const CLASS = 'ResizeImageMaskNode';
const { workflow } = JSON.parse(readFileSync(join(__dirname, '../../client/graph/app/recorded/dynamic.json'), 'utf8')) as {
	workflow: object;
};

const sandbox = sharedSandbox();

it('a row that changes which inputs stand behind a choice sends those of the new choice', async () => {
	sandbox.inject({
		on: `GET /api/object_info/${CLASS}`,
		surface: 'engine',
		times: Infinity,
		answer: { status: 200, json: { [CLASS]: definitions[CLASS] } },
	});
	const row = { input: { __rl: true, mode: 'name', value: '2.resize_type' }, value: 'scale width' };
	await runNode(runRun(credentialFor(sandbox, 'bare_engine'), JSON.stringify(workflow), { parameters: { inputs: { values: [row] } } }));
	const [{ bodyText } = { bodyText: '{}' }] = sandbox.requests('POST /api/prompt', 'engine');
	const { prompt } = JSON.parse(bodyText) as { prompt: Record<string, { inputs: object }> };
	expect(prompt['2']?.inputs).toEqual({ resize_type: 'scale width', 'resize_type.width': 512, scale_method: 'area', input: ['1', 0] });
});
