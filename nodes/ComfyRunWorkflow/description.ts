import type { INodeProperties } from 'n8n-workflow';

import { appInputsFields } from '../shared/app/description';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import { jobsInFlight } from '../shared/descriptions/jobFields';
import { inputs } from '../shared/inputs/description';
import { files, largestFile } from '../shared/inputFiles/description';
import { imageOptions } from '../shared/jobs/download/options';
import { freeMemoryOptions } from '../shared/jobs/freeMemoryOptions';
import { submitOptions } from '../shared/jobs/submit/options';
import { waitEndOptions, maxWait } from '../shared/jobs/waitOptions';
import type { Option } from '../shared/options';
import { workflowFields } from '../shared/workflows/description';
import { cancelOnStop, outputOptions, saveOptions, seedOptions } from './options';

const FOR_MODELS =
	'Runs a ComfyUI workflow, which generates or edits images, videos, audio or text, and waits for the result. Enter a value for each requested input. Returns JSON: job_id, status, and the outputs with name, type and size. Text outputs include their text. If the status is queued or running, the job is not finished: request it again with its job_id, as the response says. Each call creates a new job, which may cost money: call this tool once for each request of the user. Files are not part of the response: n8n delivers them by job_id.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...workflowFields,
	...appInputsFields,
	inputs,
	files,
	options(undefined, [
		...[submitOptions, seedOptions, waitEndOptions, freeMemoryOptions, outputOptions, saveOptions, imageOptions].flatMap((group) =>
			Object.values<Option>(group),
		),
		cancelOnStop,
		jobsInFlight,
		interfaceOption,
		largestFile,
		maxWait,
		reportLostServer,
	]),
];
