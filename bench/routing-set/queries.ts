export interface Labelled {
  query: string;
  /** All of them are to be selected; none where nothing fits. */
  expect: string[];
  /** Several would do, or too little is said: it must be asked rather than guessed, and these must be among what is offered. */
  unclear?: true;
  attachments?: { name: string; type: string }[];
}

const one = (name: string, ...queries: string[]): Labelled[] => queries.map((query) => ({ query, expect: [name] }));
const both = (names: string[], ...queries: string[]): Labelled[] => queries.map((query) => ({ query, expect: names }));
const none = (...queries: string[]): Labelled[] => queries.map((query) => ({ query, expect: [] }));
const unclear = (names: string[], ...queries: string[]): Labelled[] =>
  queries.map((query) => ({ query, expect: names, unclear: true }));
const withFile = (name: string, file: string, type: string, ...queries: string[]): Labelled[] =>
  queries.map((query) => ({ query, expect: [name], attachments: [{ name: file, type }] }));

/** Written before anything was tuned. Those at even places were looked at while tuning, those at odd places never. */
export const QUERIES: Labelled[] = [
  ...one(
    'doc_search',
    'what does our travel policy say about hotel limits',
    'find the handbook page on expense approval',
    'search our documents for the data retention policy',
    'where is the policy on remote work written down',
  ),
  ...one(
    'web_search',
    'what is the latest news about the chip shortage',
    'search the web for current prices of GPUs',
    'look up on the internet who won the election',
    'find recent public information on that startup',
  ),
  ...one(
    'read_file',
    'show me what is in notes/todo.md',
    'read the file config.yaml',
    'open README.md and show its text',
    'what does the file plan.txt say',
  ),
  ...one(
    'list_files',
    'which files are in the drafts folder',
    'list everything in this notebook',
    'show the folders of the notebook',
    'what files do we have under reports',
  ),
  ...one(
    'write_file',
    'save this text to notes/idea.md',
    'write the content into summary.txt',
    'put the following into a file called agenda.md',
    'overwrite draft.md with this content',
  ),
  ...one(
    'run_command',
    'run ls -la in the sandbox',
    'execute this shell script',
    'run the command npm install',
    'what does `uname -a` print, run it',
  ),
  ...one(
    'run_tests',
    'run the tests of the repository',
    'do all tests pass at the moment',
    'execute the test suite and tell me what failed',
    'check whether the unit tests are green',
  ),
  ...one(
    'send_email',
    'send an e-mail to Maria that I am late',
    'mail the team the new address',
    'write to bob@example.org by email and thank him',
    'email these numbers to the finance department',
  ),
  ...one(
    'create_ticket',
    'open a ticket: the login button does not work',
    'file a bug in the issue tracker about the slow search',
    'create a task in the tracker for updating the certificates',
    'please raise an issue ticket for the broken link',
  ),
  ...one(
    'search_tickets',
    'which tickets are assigned to me',
    'find open tickets about payments',
    'are there tickets in the tracker with status blocked',
    'show unresolved issues in the tracker from last week',
  ),
  ...one(
    'calendar_events',
    'when is my next meeting',
    'do I have any appointments on Friday',
    'what is in my calendar tomorrow',
    'find a free slot in my calendar this week',
  ),
  ...one(
    'schedule_meeting',
    'set up a meeting with Ann and Joe on Tuesday at ten',
    'schedule a call with the vendor next Monday',
    'invite the team to a meeting about budgets',
    'put a one hour meeting with Kim into the calendar',
  ),
  ...one(
    'translate_text',
    'translate this paragraph into French',
    'what is "delivery note" in German',
    'translate the message from Japanese to English',
    'I need this text in Spanish, translate it',
  ),
  ...one(
    'convert_currency',
    'how much is 250 dollars in euros',
    'convert 1000 yen to pounds',
    'what is the exchange rate for Swiss francs, convert 40',
    'turn 99 EUR into USD',
  ),
  ...one(
    'weather_forecast',
    'will it rain in Hamburg tomorrow',
    'weather in Oslo on Sunday',
    'what is the forecast for Rome this weekend',
    'how warm does it get in Porto on Monday, weather please',
  ),
  ...one(
    'query_database',
    'run a SQL query for orders per region in the sales warehouse',
    'query the warehouse: number of customers in 2024',
    'select the top ten products by sales from the database',
    'get the sales totals per month from the warehouse with SQL',
  ),
  ...one(
    'make_chart',
    'draw a bar chart of these numbers',
    'make a pie chart from the table',
    'plot this data as a line chart',
    'chart the tabular data by month',
  ),
  ...one(
    'git_history',
    'who committed to the parser last',
    'show the git commits of this week',
    'which author changed the repository most',
    'what changed in git since version 1.2',
  ),
  ...one(
    'agt_summarizer',
    'summarize this long thread for me',
    'give me a short summary of the key points of the notes',
    'tl;dr of the document please, a summary',
    'condense these notes to a short summary',
  ),
  ...one(
    'agt_reviewer',
    'review my pull request for security problems',
    'please check this code change for bugs',
    'look over the pull request before I merge it',
    'code review of the latest change',
  ),
  ...one(
    'agt_refactorer',
    'rename getUser to findUser across all files',
    'extract this code into a module without changing behaviour',
    'refactor the payment code, move it into its own folder',
    'restructure the code of the importer',
  ),
  ...one(
    'agt_researcher',
    'investigate the market for batteries and write a report with sources',
    'compare three vendors of scanners and cite your sources',
    'do research on heat pumps and report with citations',
    'write a report on this question from many sources',
  ),
  ...one(
    'agt_invoices',
    'check whether this invoice matches the purchase order',
    'book the receipts of last month',
    'match the invoices from Acme with our orders',
    'is this invoice right',
  ),
  ...one(
    'agt_hr',
    'how many days of leave do I have',
    'question about my payroll: why is it lower',
    'what benefits do employees get',
    'can I carry over vacation days to next year',
  ),
  ...one(
    'agt_legal',
    'point out legal risks in the agreement with Globex',
    'are there unusual clauses in this contract',
    'read the NDA and tell me what is risky',
    'check the contract for legal problems',
  ),
  ...one(
    'agt_analyst',
    'analyse the spreadsheet and find outliers',
    'what trends are in this table',
    'explain the statistics in these spreadsheets',
    'find out why sales dropped, analyse the table',
  ),
  ...one(
    'agt_support',
    'a customer has a problem with the product, answer them',
    'write a polite reply to the complaint of this customer',
    'the customer cannot log in, help them step by step',
    'answer the customer who complains about delivery',
  ),
  ...one(
    'agt_incident',
    'production is down, investigate the outage',
    'we get alerts from the API, look at logs and metrics',
    'find out what caused the outage last night',
    'the alert says latency is high in production',
  ),
  ...one(
    'agt_release',
    'prepare the release notes for version 3.1',
    'write the changelog and tag the release',
    'get the next release ready',
    'bump the version and prepare a release',
  ),
  ...one(
    'agt_travel',
    'plan a business trip to Vienna with hotel',
    'find me flights and a hotel for the conference in Milan',
    'I need train and hotel for my trip to Berlin',
    'make an itinerary for a trip to Tokyo',
  ),
  ...one(
    'agt_minutes',
    'write minutes with action items from these meeting notes',
    'turn the meeting transcript into minutes',
    'what decisions and action items came out of the meeting notes',
    'make minutes of the board meeting',
  ),
  ...one(
    'agt_writer',
    'write a blog post about the new search',
    'draft an announcement for the launch',
    'I need a marketing text for the landing page',
    'write an announcement in our tone',
  ),
  ...one(
    'agt_onboarding',
    'I am a new colleague, what accounts do I need',
    'checklist for my first week',
    'I am new here, help me get started',
    'introduce a new colleague to the first weeks',
  ),
  ...withFile(
    'extract_text',
    'scan.pdf',
    'application/pdf',
    'get the text out of this',
    'extract the text of the attached scan',
  ),
  ...withFile(
    'extract_text',
    'photo.png',
    'image/png',
    'what is written on this picture',
    'read the text in the image',
  ),
  ...withFile(
    'transcribe_audio',
    'call.mp3',
    'audio/mpeg',
    'write down what is said here',
    'transcribe the attached recording',
  ),
  ...withFile('transcribe_audio', 'memo.wav', 'audio/wav', 'turn this into text', 'what do they say in this recording'),
  ...withFile('agt_analyst', 'sales.csv', 'text/csv', 'what stands out in this', 'analyse this and explain the trend'),
  ...withFile(
    'agt_legal',
    'nda.pdf',
    'application/pdf',
    'is there a legal risk in this contract',
    'any unusual clauses in the attached agreement',
  ),
  ...withFile(
    'agt_invoices',
    'invoice-0815.pdf',
    'application/pdf',
    'does the invoice match the purchase order',
    'book this invoice',
  ),
  ...both(
    ['query_database', 'make_chart'],
    'query the warehouse for sales per month and draw a bar chart of it',
    'get revenue by region with SQL from the warehouse, then make a pie chart',
  ),
  ...both(
    ['translate_text', 'send_email'],
    'translate this text into Italian and send it by e-mail to Luca',
    'translate the message to Polish, then email it to the team',
  ),
  ...both(
    ['run_tests', 'create_ticket'],
    'run the tests and open a ticket for each failure',
    'run the test suite, then create a ticket in the tracker with the failed tests',
  ),
  ...both(
    ['calendar_events', 'schedule_meeting'],
    'look up a free slot in the calendar and then schedule a meeting with Eva',
    'find free slots in my calendar, then invite Tom to a meeting',
  ),
  ...both(
    ['transcribe_audio', 'agt_minutes'],
    'transcribe the recording and turn it into minutes with action items',
    'transcribe the audio recording, then write minutes from the transcript',
  ),
  ...both(
    ['web_search', 'agt_summarizer'],
    'search the web for news on tariffs and write a short summary of the key points',
    'look on the web for current information about the merger, then summarize it',
  ),
  ...both(
    ['agt_reviewer', 'agt_release'],
    'review the pull request and then prepare the release notes',
    'have the code change reviewed for bugs, then prepare the release',
  ),
  ...none(
    'what is the meaning of life',
    'sing me a song',
    'tell me a joke',
    'how are you today',
    'order a pizza',
    'paint my house blue',
    'what is two plus two',
    'who will win the lottery',
    'turn on the lights in the kitchen',
    'recommend a movie for tonight',
  ),
  ...unclear(['create_ticket', 'search_tickets'], 'tickets', 'something with tickets in the tracker'),
  ...unclear(['calendar_events', 'schedule_meeting'], 'my meeting', 'meetings in the calendar'),
  ...unclear(['read_file', 'write_file', 'list_files'], 'files', 'the file in the notebook'),
  ...unclear(['agt_summarizer', 'agt_minutes', 'agt_analyst'], 'do something with my notes', 'notes'),
];

export const TUNED = QUERIES.filter((_, n) => n % 2 === 0);
export const UNTOUCHED = QUERIES.filter((_, n) => n % 2 === 1);
