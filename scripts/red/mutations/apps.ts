import type { Mutation } from './mutation';

export const apps: Mutation[] = [
	{
		rule: 'what was left alone in an app’s form is sent as it is saved now',
		file: 'nodes/shared/app/entered.ts',
		from: ' || (field !== undefined && isLeftAsSaved(raw, field))',
		to: '',
		suite: 'test/nodes/run/apps.test.ts',
		test: 'leaves to the workflow as it is saved now',
	},
	{
		rule: 'a field of an app’s form that was left alone remembers with what it was filled',
		file: 'nodes/shared/app/fields.ts',
		from: '...(isOutdated ? { defaultValue: filledWith } : isUnfit',
		to: '...(isUnfit',
		suite: 'test/nodes/run/apps.test.ts',
		test: 'tells beside a field that was left alone',
	},
	{
		rule: 'what no longer fits an app is named before anything is sent',
		file: 'nodes/shared/app/values.ts',
		from: '	const fields = entered.map((field) => ({ field, one: chosen(app, graph, field) }));',
		to: '	const fields = entered.flatMap((field) => (app.inputs.some((one) => fieldId(one, graph) === field.id) ? [{ field, one: chosen(app, graph, field) }] : []));',
		suite: 'test/nodes/run/apps.test.ts',
		test: 'names what no longer fits',
	},
	{
		rule: 'a value of an app’s form is checked by what its input takes',
		file: 'nodes/shared/app/values.ts',
		from: '[place.input]: converted(current, label, field.value)',
		to: '[place.input]: field.value',
		suite: 'test/nodes/run/apps.test.ts',
		test: 'of renamed with {"steps":0}',
	},
	{
		rule: 'nothing of an app’s form is an expression of somebody else’s',
		file: 'nodes/shared/app/fields.ts',
		from: "(text.startsWith('=') ? ` ${text}` : text)",
		to: 'text',
		suite: 'test/nodes/run/apps.test.ts',
		test: 'never holds a text of the workflow that n8n would run',
	},
	{
		rule: 'rows of Inputs win over an app’s form',
		file: 'nodes/shared/jobs/submit/asked.ts',
		from: 'const changed = apply(graph, await rowValues(context, graph, settings.inputRows));',
		to: 'const changed = applyInputs(apply(graph, await rowValues(context, graph, settings.inputRows)), app.values);',
		suite: 'test/nodes/run/apps.test.ts',
		test: 'lets rows of Inputs win',
	},
];
