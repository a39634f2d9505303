/** Answers of models that write or speak. */
import { encodeWav, sine } from '../../graphEngine/media/wav';
import type { Model } from '../model';

export const chatAnswer: Model['generate'] = async (input) => {
	const messages = Array.isArray(input.messages) ? (input.messages as Array<{ content?: unknown }>) : [];
	const asked = JSON.stringify(messages.at(-1)?.content ?? '');
	return {
		kind: 'json',
		value: {
			id: 'chat-1',
			choices: [{ index: 0, message: { role: 'assistant', content: `You said ${asked}` }, finish_reason: 'stop' }],
			usage: { prompt_tokens: asked.length, completion_tokens: asked.length + 2 },
		},
	};
};

/** A wav file of its own. */
export const spoken: Model['generate'] = async (input) => {
	const seconds =
		typeof input.duration === 'number' ? input.duration : 0.1 + Math.min(2, String(input.text ?? input.prompt ?? '').length / 100);
	return { kind: 'bytes', contentType: 'audio/wav', bytes: encodeWav(sine(440, seconds)) };
};
