import type { Bill, Condition, Happened, Unconfirmed } from './interface';

const MAY_EXIST = /may have (been (submitted|made)|submitted)/;

/** n8n kept nothing of what was sent, and an expression gives something else now: no job of the service is known by it. */
export const INPUT_IS_GONE: Unconfirmed = {
	name: 'n8n lost its record, and the input is another now',
	words: MAY_EXIST,
	isFor: ({ history, lostRecords }) => history.input === 'random' && lostRecords.length > 0,
};

/** No key makes it safe to send again, and what was lost on its way looks like an answer that was: what came of it is found. */
export const NOT_SENT_AGAIN: Unconfirmed = {
	name: 'a submission was lost on its way, and without a key nothing is sent again',
	words: MAY_EXIST,
	// An engine forgets a job that a stop has canceled. Another retry, without a record, may have submitted it since.
	isFor: ({ isDisturbed, sendsKeys, stops }, isBilled) => (!isBilled || stops > 0) && isDisturbed && !sendsKeys,
};

/** Jobs have times of the service's clock. How wrong our clock was when a submission was sent cannot be found out later. */
export const CLOCK_WAS_SET_BACK: Unconfirmed = {
	name: 'the clock of n8n was set back after the first try',
	words: MAY_EXIST,
	isFor: ({ wasSetBack }) => wasSetBack,
};

/** It cannot be known which jobs were made since the first try. */
export const TIME_IS_UNKNOWN: Unconfirmed = {
	name: 'the service does not tell its time',
	words: MAY_EXIST,
	isFor: ({ history, isDisturbed }) => !history.hasDate && isDisturbed,
};

/** A new process of an engine knows neither queue nor history: whether it ran, and what it made, is nowhere to be read. */
export const FORGOTTEN: Unconfirmed = {
	name: 'the engine was restarted, and has forgotten the job',
	words: /ComfyUI no longer has (this )?job|has no job with this ID|may have (been (submitted|made)|submitted)/,
	isFor: ({ restarts }) => restarts.length > 0,
};

/** The key of what a stop has canceled is used up, and n8n has lost that it was stopped. */
export const WAS_STOPPED: Unconfirmed = {
	name: 'it was stopped, and n8n lost the record of that',
	words: /was stopped before it finished/,
	isFor: ({ stops, lostRecords }) => stops > 0 && lostRecords.length > 0,
};

export const START_IS_LOST: Unconfirmed = {
	name: 'n8n lost the start time of the execution',
	words: /n8n has lost the start time/,
	isFor: ({ history, kills }) => !history.keepsStart && kills > 0,
};

/** It is not even known that something was sent. */
export const NOTHING_TELLS: Condition = {
	name: 'billed twice: n8n lost its record, the input is another now, and no key is sent',
	isFor: (happened) => !happened.sendsKeys && INPUT_IS_GONE.isFor(happened, true),
};

const isWithin = (times: readonly number[], first: number, last: number): boolean => times.some((time) => first <= time && time <= last);

/** An engine keeps its jobs in memory only: with n8n's own record, all is gone that knew of one. */
export const BOTH_FORGOT: Condition = {
	name: 'billed twice: n8n lost its record, and the engine was restarted',
	isFor: ({ lostRecords, restarts }: Happened, bills: readonly Bill[]) => {
		const times = bills.map(({ at }) => at);
		const last = Math.max(...times);
		return isWithin(restarts, Math.min(...times), last) && isWithin(lostRecords, 0, last);
	},
};

/** Which job belongs to which of several equal workflows is known to one process only. */
export const SHARED: Condition = {
	name: 'two nodes or executions with equal workflows share a job: n8n was restarted, and no key is sent',
	isFor: ({ sendsKeys, lives }) => !sendsKeys && lives > 1,
};
