import type { Audio } from '../values';

const HEADER_BYTES = 44;

/** A RIFF/WAVE file of 16-bit PCM. */
export function encodeWav({ sampleRate, channels, samples }: Audio): Buffer {
	const dataBytes = samples.length * 2;
	const file = Buffer.alloc(HEADER_BYTES + dataBytes);
	file.write('RIFF', 0, 'latin1');
	file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
	file.write('WAVEfmt ', 8, 'latin1');
	file.writeUInt32LE(16, 16);
	file.writeUInt16LE(1, 20);
	file.writeUInt16LE(channels, 22);
	file.writeUInt32LE(sampleRate, 24);
	file.writeUInt32LE(sampleRate * channels * 2, 28);
	file.writeUInt16LE(channels * 2, 32);
	file.writeUInt16LE(16, 34);
	file.write('data', 36, 'latin1');
	file.writeUInt32LE(dataBytes, 40);
	samples.forEach((sample, index) => file.writeInt16LE(sample, HEADER_BYTES + index * 2));
	return file;
}

/** One channel at half volume; hertz and seconds. */
export function sine(frequency: number, duration: number, sampleRate = 8000): Audio {
	const samples = new Int16Array(Math.round(duration * sampleRate));
	for (let index = 0; index < samples.length; index++) {
		samples[index] = Math.round(Math.sin((2 * Math.PI * frequency * index) / sampleRate) * 0x3fff);
	}
	return { sampleRate, channels: 1, samples };
}
