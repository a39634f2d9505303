/** How often a stream that is no terminal gets a line while nothing but the counts changes. */
const PLAIN_LINE_INTERVAL_MS = 10_000;

export interface Progress {
	/** What is happening now; `counts` may change often, `phase` seldom. */
	show(phase: string, counts?: string): void;
	/** Closes the display with one last line. */
	end(text: string): void;
}

/**
 * Tells a person what is happening and for how long: one line that updates itself on a terminal, plain lines elsewhere.
 * Call `end` in every case: a timer runs until then.
 */
export function startProgress(title: string, stream: NodeJS.WriteStream = process.stderr): Progress {
	const startedAt = Date.now();
	let phase = 'starting';
	let counts = '';
	let printedPhase = '';
	let printedAt = 0;

	const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
	/** What is cut is never the time: a line that stands still looks hung. */
	const line = (width = Infinity) => {
		const time = `, ${elapsed()}`;
		return `${title}: ${phase}${counts ? ` (${counts})` : ''}`.slice(0, width - time.length) + time;
	};

	function draw() {
		if (stream.isTTY) {
			stream.write(`\r\x1b[K${line((stream.columns || 80) - 1)}`);
		} else if (phase !== printedPhase || Date.now() - printedAt >= PLAIN_LINE_INTERVAL_MS) {
			stream.write(`${line()}\n`);
			printedPhase = phase;
			printedAt = Date.now();
		}
	}
	const timer = setInterval(draw, 500);

	return {
		show(newPhase, newCounts = '') {
			const changed = newPhase !== phase;
			phase = newPhase;
			counts = newCounts;
			if (changed) draw();
		},
		end(text) {
			clearInterval(timer);
			stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${title}: ${text}, ${elapsed()}\n`);
		},
	};
}
