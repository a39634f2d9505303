/** What a person reads: what happened, then how to go on. */
export interface Words {
	message: string;
	advice: string;
}

/** n8n shows line breaks as spaces, so that only a full stop keeps two lines apart. */
const sentence = (line: string): string => (/[.!?:]\s*$/.test(line) ? line : `${line}.`);

export const words = (message: string, ...advice: Array<string | undefined>): Words => ({
	message,
	advice: advice.flatMap((line) => (line ? [sentence(line)] : [])).join('\n'),
});
