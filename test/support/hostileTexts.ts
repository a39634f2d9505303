/** Texts that patterns stumble over: what a pattern repeats, many times, and then something else. */

/** Tried first, for any class of characters. */
const SAMPLES = ['a', '1', ' ', '.', '/', '\n', '\u0001'];
const CHARACTERS = [...SAMPLES, ...Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)), '\ud800'];

interface Sampled {
	/** A text that this part of the pattern matches. */
	text: string;
	end: number;
}

/** Reads a pattern's source from front to back, and keeps a text for each part that may be repeated. */
class Sampler {
	readonly repeated = new Set<string>();
	/** What comes before a part that repeats. */
	readonly starts = new Set<string>(['']);

	constructor(
		private readonly source: string,
		private readonly flags: string,
	) {
		this.alternatives(0);
	}

	private charOf(atom: string): string {
		const one = new RegExp(`^${atom}$`, this.flags);
		return CHARACTERS.find((sample) => one.test(sample)) ?? '';
	}

	private alternatives(from: number): Sampled {
		let first: string | undefined;
		let text = '';
		let at = from;
		const end = (): void => {
			first ??= text;
			if (text !== '') this.repeated.add(text);
		};
		while (at < this.source.length && this.source[at] !== ')') {
			if (this.source[at] === '|') {
				end();
				text = '';
				at += 1;
				continue;
			}
			const part = this.part(at);
			if (part.repeats && part.text !== '') {
				this.starts.add(text);
				this.repeated.add(part.text).add(text + part.text);
			}
			text += part.text;
			at = part.end;
		}
		end();
		return { text: first ?? '', end: at + 1 };
	}

	private part(at: number): Sampled & { repeats: boolean } {
		const atom = this.atom(at);
		const quantifier = /^([+*?]|\{(\d+)[^}]*\})\??/.exec(this.source.slice(atom.end));
		const times = Math.max(1, Number(quantifier?.[2] ?? 1));
		return { text: atom.text.repeat(times), end: atom.end + (quantifier?.[0].length ?? 0), repeats: quantifier !== null };
	}

	private atom(at: number): Sampled {
		const rest = this.source.slice(at);
		const opened = /^\((\?(:|=|!|<=|<!|<\w+>))?/.exec(rest);
		if (opened !== null) {
			const group = this.alternatives(at + opened[0].length);
			return /[=!]$/.test(opened[0]) ? { ...group, text: '' } : group;
		}
		const atom = /^(\[(\\.|[^\]\\])*\]|\\p\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[1-9]|\\.|[^])/i.exec(rest)?.[0] ?? '';
		const end = at + atom.length;
		if (/^(\^|\$|\\b|\\B|\\[1-9])$/.test(atom)) return { text: '', end };
		const isLiteral = /^([^\\[.]|\\[^\w])$/.test(atom);
		return { text: isLiteral ? atom.slice(-1) : this.charOf(atom), end };
	}
}

/** So that nothing matches to the end. */
const ENDS = ['', '\u0001', '\n!'];

export function hostileTexts({ source, flags }: RegExp, length: number): string[] {
	const { repeated, starts } = new Sampler(source, flags);
	const texts = [...repeated].flatMap((part) => {
		const many = part.repeat(Math.ceil(length / part.length));
		return [...starts].map((start) => start + many);
	});
	return [...new Set(texts)].flatMap((text) => ENDS.map((end) => text + end));
}
