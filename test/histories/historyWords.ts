import type { Action, History, Incident } from './history';

const incidentWords = ({ event, request, moment }: Incident): string =>
	`${event} when ${request === 'submission' ? 'the submission' : `request ${request}`} is ${moment === 'sending' ? 'about to be sent' : moment}`;

function actionWords(action: Action): string {
	switch (action.does) {
		case 'run':
			return [`run (${action.again}, if it ran before)`, ...action.incidents.map(incidentWords)].join('; ');
		case 'fault':
			return `the next ${action.on === 'submission' ? 'submission' : 'request'} meets: ${action.fault}`;
		case 'crowd':
			return `others submit ${action.jobs} that look the same`;
		case 'clock':
			return `the clock of n8n is set ${action.minutes < 0 ? 'back' : 'forward'} by ${Math.abs(action.minutes)} minutes`;
		default:
			return 'the service restarts';
	}
}

export const historyWords = ({ input, items, areEqual, actions }: History): string =>
	[`${items} ${items > 1 && areEqual ? 'equal items' : items > 1 ? 'items' : 'item'}, ${input} input`, ...actions.map(actionWords)].join(
		'\n  · ',
	);
