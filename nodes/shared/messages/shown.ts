/** n8n takes what stands in angle brackets for HTML and shows nothing in its place: other brackets keep it. */
export const inFull = (text: string): string => text.replace(/<([^<>]*)>/g, '‹$1›').replace(/<(?=[a-z/!?])/gi, '‹');

const lengthOf = (text: string): string => `${text.length.toLocaleString('en')} characters in all`;

/** The beginning of a text that nobody reads to its end: the whole of it stays in the data of the item. */
export const shortened = (text: string, longest: number): string => (text.length <= longest ? text : `${text.slice(0, longest).trimEnd()}… (${lengthOf(text)})`);

/** The same for a traceback, which says last what happened. */
export const shortenedToEnd = (text: string, longest: number): string => (text.length <= longest ? text : `(${lengthOf(text)}) …${text.slice(-longest)}`);
