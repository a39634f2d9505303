export interface GrowingPause {
	/** After the first failure, in milliseconds; it doubles with each further one. */
	firstMs: number;
	longestMs: number;
}

/** @param failures that came before the latest one. */
export const growingPauseMs = ({ firstMs, longestMs }: GrowingPause, failures: number): number =>
	Math.min(firstMs * 2 ** failures, longestMs);

/** Many clients of a service that comes back must not all come at once. */
export const jittered = (milliseconds: number): number => milliseconds * (0.75 + Math.random() / 2);
