import type { Candidate } from '../../domain/routing.ts';

const tool = (name: string, description: string, scopes: string[] = [], examples: string[] = []): Candidate => ({
  kind: 'tool',
  id: name,
  name,
  description,
  scopes,
  examples,
});
const agent = (id: string, name: string, description: string, examples: string[] = []): Candidate => ({
  kind: 'agent',
  id,
  name,
  description,
  scopes: [],
  examples,
});

/** What an ordinary organization has: tools and agents that overlap a little, as they do. */
export const CATALOGUE: Candidate[] = [
  tool('doc_search', 'Search the documents, handbooks and policies of the organization by meaning', ['search.read']),
  tool('web_search', 'Search the public web for current information, news and prices', ['web.read']),
  tool('read_file', 'Read a text file of the notebook', ['files.read']),
  tool('list_files', 'List the files and folders of a notebook', ['files.read']),
  tool('write_file', 'Write the whole content of a file of the notebook', ['files.write']),
  tool('run_command', 'Run a shell command or script in the sandbox and return its output', ['code.execute']),
  tool('run_tests', 'Run the test suite of a repository and report passed and failed tests', ['code.execute']),
  tool('send_email', 'Send an e-mail message to one or more recipients', ['mail.send']),
  tool('create_ticket', 'Open a ticket in the issue tracker for a bug, task or request', ['tickets.write']),
  tool('search_tickets', 'Find tickets in the issue tracker by status, assignee or words', ['tickets.read']),
  tool('calendar_events', 'Look up meetings, appointments and free slots in the calendar', ['calendar.read']),
  tool('schedule_meeting', 'Put a meeting with invitees into the calendar', ['calendar.write']),
  tool('translate_text', 'Translate text from one language into another', ['language']),
  tool('convert_currency', 'Convert an amount of money between currencies at the current exchange rate', [
    'finance.read',
  ]),
  tool('weather_forecast', 'Weather forecast for a place and day', ['weather.read']),
  tool('query_database', 'Run a read-only SQL query against the sales warehouse', ['data.read']),
  tool('make_chart', 'Draw a bar, line or pie chart from tabular data', ['data.read']),
  tool('extract_text', 'Extract text from a PDF, scan or image by OCR', ['documents.read']),
  tool('transcribe_audio', 'Transcribe a recording of speech to text', ['audio.read']),
  tool('git_history', 'Show commits, authors and changes of a git repository', ['git.read']),
  agent(
    'agt_summarizer',
    'Summarizer',
    'Reads long documents, notes or threads and writes a short summary of the key points',
    ['give me the gist of this report'],
  ),
  agent('agt_reviewer', 'Code reviewer', 'Reviews pull requests and code changes for bugs, style and security', [
    'have a look at my pull request',
  ]),
  agent(
    'agt_refactorer',
    'Refactorer',
    'Restructures code across many files: renames, moves, extracts, without changing behaviour',
    ['rename this function everywhere'],
  ),
  agent(
    'agt_researcher',
    'Researcher',
    'Investigates a question over many sources and writes a report with citations',
    ['compare the vendors and write up what you find'],
  ),
  agent(
    'agt_invoices',
    'Invoice clerk',
    'Checks invoices and receipts, matches them with purchase orders and books them',
    ['does this bill match the order'],
  ),
  agent('agt_hr', 'HR assistant', 'Answers questions of employees about leave, benefits, payroll and contracts', [
    'how many vacation days do I have left',
  ]),
  agent(
    'agt_legal',
    'Contract counsel',
    'Reads contracts and agreements and points out legal risks and unusual clauses',
    ['is there anything dangerous in this NDA'],
  ),
  agent('agt_analyst', 'Data analyst', 'Analyses tables and spreadsheets: trends, statistics, outliers, explanations', [
    'why did revenue drop in March',
  ]),
  agent(
    'agt_support',
    'Support agent',
    'Answers customers who have a problem with the product, politely and with steps to follow',
    ['reply to this complaint'],
  ),
  agent(
    'agt_incident',
    'Incident responder',
    'Investigates outages and alerts in production: logs, metrics, recent deployments, and proposes a fix',
    ['the checkout service is down'],
  ),
  agent('agt_release', 'Release manager', 'Prepares releases: changelog, version, tags, release notes', [
    'get 2.4 ready to ship',
  ]),
  agent('agt_travel', 'Travel planner', 'Plans business trips: flights, trains, hotels and itineraries', [
    'book me a trip to Lyon',
  ]),
  agent(
    'agt_minutes',
    'Minute taker',
    'Turns meeting notes or transcripts into minutes with decisions and action items',
    ['write the minutes of yesterday’s call'],
  ),
  agent('agt_writer', 'Copy writer', 'Writes blog posts, announcements and marketing texts in the tone of the house', [
    'draft a post about our new feature',
  ]),
  agent(
    'agt_onboarding',
    'Onboarding buddy',
    'Helps new colleagues through their first weeks: accounts, introductions, checklists',
    ['I just started, what do I have to do'],
  ),
];
