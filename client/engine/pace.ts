import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';

/** The queue changes with every node of a busy engine: one look serves several changes. */
const LOOK_AT_MOST_EVERY_MS = 250;

/** Between two looks at an engine. A stop ends it at once, without an error. */
export const untilNextLook = async (signal: AbortSignal): Promise<void> => void (await outcomeOf(delay(LOOK_AT_MOST_EVERY_MS, signal)));
