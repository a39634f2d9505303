import { readPage, writtenPage } from '../../../scripts/docs/nodePages';
import { ComfyProgressTrigger } from '../../../nodes/ComfyProgressTrigger/ComfyProgressTrigger.node';
import { nodes as regularNodes } from '../support/engine';

const nodes = Object.values({ ...regularNodes, comfyProgressTrigger: new ComfyProgressTrigger() });

it.each(nodes.map(({ description }) => [description.displayName, description] as const))(
	'the page of %s says what the node says; if not: npm run docs',
	(displayName, description) => {
		const page = readPage(description.name);
		expect(page).toBe(writtenPage(page, description));
		expect(page).toMatch(new RegExp(`^# ${displayName}\n`));
	},
);
