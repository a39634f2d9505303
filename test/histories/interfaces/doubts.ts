import type { EventName, History } from '../history';
import type { Doubt, Limit } from './interface';

const MAY_EXIST = /may have (been (submitted|made)|submitted)/;

const hasEvent = ({ actions }: History, event: EventName): boolean =>
	actions.some((action) => action.does === 'run' && action.incidents.some((incident) => incident.event === event));

const restarts = (history: History): boolean => hasEvent(history, 'restart') || history.actions.some(({ does }) => does === 'restart');

/** n8n kept nothing of what was sent, and an expression gives something else now: no job of the service is known by it. */
export const INPUT_IS_GONE: Doubt = {
	name: 'n8n died, and the input is another now',
	words: MAY_EXIST,
	isFor: (history) => history.input === 'random' && hasEvent(history, 'kill'),
};

/** The same where no key is sent either: it is not even known that something was. */
export const NOTHING_TELLS: Limit = {
	name: 'paid twice: n8n died, the input is another now, and the interface has no keys',
	isFor: (history) => INPUT_IS_GONE.isFor(history, true),
};

const mayBeLost = (history: History): boolean =>
	history.actions.some(({ does }) => does === 'fault' || does === 'disconnect') ||
	hasEvent(history, 'disconnect') ||
	hasEvent(history, 'kill') ||
	hasEvent(history, 'stop') ||
	restarts(history);

/** No key makes it safe to send again, and what was lost on its way looks like an answer that was: what came of it is found. */
export const NOT_SENT_AGAIN: Doubt = {
	name: 'a submission was lost on its way, and without a key nothing is sent again',
	words: MAY_EXIST,
	isFor: (history, isBilled) => !isBilled && mayBeLost(history),
};

/** Jobs have times of the service's clock. How wrong our clock was when a submission was sent cannot be found out later. */
export const CLOCK_WAS_SET_BACK: Doubt = {
	name: 'the clock of n8n was set back after the first try',
	words: MAY_EXIST,
	isFor: ({ actions }) => actions.some((action) => action.does === 'clock' && action.minutes < 0),
};

/** A new process of an engine knows neither queue nor history: whether it ran, and what it made, is nowhere to be read. */
export const FORGOTTEN: Doubt = {
	name: 'the engine was restarted, and has forgotten the job',
	words: /ComfyUI no longer has (this )?job|has no job with this ID|may have (been (submitted|made)|submitted)/,
	isFor: restarts,
};

/**
 * A bare engine keeps its jobs in memory only: with n8n's own, all is gone that knew of one. Nor is it known of one that was
 * to be stopped whether that came too late.
 */
export const BOTH_FORGOT: Limit = {
	name: 'paid twice: n8n died or was stopped, and the engine was restarted',
	isFor: (history) => (hasEvent(history, 'kill') || hasEvent(history, 'stop')) && restarts(history),
};

/** The key of what a stop has canceled is used up; n8n died, and with it went that it was stopped. */
export const WAS_STOPPED: Doubt = {
	name: 'it was stopped, and n8n died with the memory of that',
	words: /was stopped before it finished/,
	isFor: (history) => hasEvent(history, 'stop') && hasEvent(history, 'kill'),
};
