import { onlyOf } from './support/server';
import { RUN_MODEL } from './support/ourNodes';
import { stage } from './support/scenes';

const staged = stage();
const { scene } = staged;

scene('a seed for each item: the form leaves it empty, Seeds draws it, and the item tells it', async (editor) => {
	await editor.openCreator('first step');
	const panel = await editor.add(RUN_MODEL);
	await panel.chooseCredential(onlyOf(staged.session, 'comfyApi'));
	const models = await panel.openList('model');
	await editor.person.click(models.filter({ hasText: 'aurora / image-1 (' }).first());
	await editor.person.write(panel.parameter('prompt').locator('input, textarea').first(), 'a red fox');
	expect(await panel.parameter('seed').locator('input').inputValue()).toBe('');
	await panel.addTo('Add option', 'Seeds');
	await panel.chooseValue('seeds', 'Random For Each Item');
	await panel.run();
	const [seed] = await panel.output.column('seed');
	expect(seed).toMatch(/^\d+$/);
});

scene('a user reads what a run would cost before it, and sets a limit for it', async (editor) => {
	await editor.openCreator('first step');
	const panel = await editor.add({ ...RUN_MODEL, action: 'Estimate cost of model' });
	await panel.chooseCredential(onlyOf(staged.session, 'comfyApi'));
	const models = await panel.openList('model');
	await editor.person.click(models.filter({ hasText: 'aurora / image-1 (' }).first());
	await editor.person.write(panel.parameter('prompt').locator('input, textarea').first(), 'a red fox');
	const { ledger } = staged.session.sandbox;
	const before = ledger.routerRuns.length;
	await panel.run();
	await expect(panel.output.column('amount_usd')).resolves.toEqual(['0.04']);
	expect(ledger.routerRuns).toHaveLength(before);

	await panel.chooseValue('operation', /^Run/);
	await panel.addTo('Add option', 'Max Cost (USD)');
	await panel.run();
	await expect(panel.output.column('estimated_cost_usd')).resolves.toEqual(['0.04']);
	expect(ledger.routerRuns).toHaveLength(before + 1);
});
