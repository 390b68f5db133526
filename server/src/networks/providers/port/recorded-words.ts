/**
 * Every word that a record of calls can have: those of the names in requests and answers of networks' APIs, and of the sentences in which
 * they refuse. It is no name of anybody, and no text: a word that is not among them is left out of the record.
 */
export const RECORDED_WORDS: ReadonlySet<string> = new Set(
  `
    a aac about above accepted access accessing account accounts acl across action actions active actor add admin
    admitted ads after again against age ai album alert all allowed along already also alt alternative always
    ambiguous among an and animation another any api app append application apply approved apps appsecret archived
    are argument around article as asked assets async at atproto attach attached attachment attachments attempt
    attempted audience audio auth authenticate authenticated authenticating authentication author authorization
    authorized automated available avatar away backend background bad banned base based basic be bearer because
    been before behind being below beside between big blame blank blob blocked blocks body boolean boost bot both
    bounds breaks broadcast bsky buffer business businesses busy but button by byte bytes cache call calls can
    can't cannot cap capabilities capability capped caption captions card carousel categories category center
    certain challenge changed channel channels character characters chat check checkpoint child children chunk cid
    city client clip close closed code collaborator collection columns com command comment commentary comments
    common community complete config configuration configured conflict consumed container containers contains
    content contents context control conversation cooldown corrupt could count country cover cputime create
    created creation credential credentials credits crosspost crv currently cursor custom daily data date day
    deactivated deadline debug declared default deferred delay delete deleted denied depleted deprecated
    description detail details detected dev developer did dimensions direct directory disable disabled disclosed
    disclosure disconnected discord discovery disk display distribution dms do doc document does doesn't domain
    don't down download downloading dpop draft drafts due duplicate duration during each edit edited editor
    element elements embed embeds empty enabled encoding encrypted end ended endpoint endpoints engagement enough
    enter entities entity enum environment eose error error's errors estimated event events everyone exceeded
    exceeding exceeds exception excerpt exchange exclude exist exists expanded expected expire expired expires
    explanation extended external facebook facets fact fail failed failure fault fb fbtrace feature featured feed
    fetch field fields file filename files finalize finish finished first flag flags flood focus follow follower
    followers following font for forbidden form format forum found frame frames frequently from full gallery gate
    gateway gb generate get gif gifs global go gone google got grant granted graph grapheme graphemes group guild
    handle has hash hashtag have head header headers heic height here hevc hidden hint his history home host hour
    hours how html http https hub icon id id's identifier identity ids if ig ignored illegal image images
    impersonating important in inactive include included incomplete incorrect index info information init
    initialize input insert inside instagram instance instances instead instruction instructions insufficient int
    integer interaction interactive internal interval into introspect invalid invalidated invite io is isn't issue
    issuer it item items its job join jpeg jpg json just jwk jws jwt kb key keys keywords kick kicked kid kind
    know known kty label labels lang language large last later latest lax layout left length less level lexicon
    library lifecycle light like limit limitation limited limits line link linkedin links list load loaded local
    localized location locked log logged login long longer look looks low made mailbox main maintenance malformed
    manage managed many mask mastodon match matrix max maximum may mb me media member members membership mention
    mentioned mentions menu message messages meta metadata method midnight might migrate mime min mine minimum
    minute minutes mismatch missed missing mode moderation modified moment month monthly more most mov move mp ms
    msg multi multipart must mutable mute name namespace near nested net network never new next no node nodeinfo
    nonce none nonexistent nor normal nostr not note notes notice notification notifications now nsfw nsid null
    number numeric o oauth oauthexception object objects occurred of off offline offset often ogg ok old on once
    one only onto open operation option optional options or order orderby org organization organizations origin
    original other our ours out output outside over overlay owned owner ownership page pages pagination paging
    paid par param parameter parameters parent parental parents parse part partial partner partnership parts party
    password patch path pause paused payload pdf pending people per perform period permalink permission
    permissions permitted persistent person personal phase photo photos picture pictures ping pinned pixelfed
    place places plain plan playlist playlists plc please png policy poll polls pool port position possible post
    posted posting posts pow preferred prefix premium prepare present preview previous privacy private problems
    processing product profile progress project promote promoted proof properly property protect protected
    protocol provided proxy pubkey public publish published publishing pull purpose push pushed put q quality
    query queue quota quote quotes range rate ratio raw re reach reached read ready reason reblog recent recipient
    recipients reconnect record redirect redirects reel reels ref refresh refusal refused regain register
    registered regular reject rejected rejection relationship relay relays release reload remain remaining removed
    repeat repeatedly replace replied replies reply repo report repost req request requested requests required
    requires reserved reset reshare resharing resolution resolve resolved resource resources response rest restli
    restricted result results resume retry returned returns review revision revoked rich right rights rkey role
    roles root route row rule rules safe said same sample schedule scheduled schema scope scopes search second
    seconds secret secure security segment selected self send sending sensitive sent sequence server server's
    servers service session set setting settings shadowbanned shall share shared short shorter should show shown
    side sig sign signature signed signer signing signup silence silent similar since single site size skip slot
    slow slug small snippet so software something sorry sort sound source space spam specified specifies specify
    spoiler square stage start started state statistics status statuses step sticky still stop stopped storage
    stored stories story stream streaming string style sub subcode subject submit subscription subscriptions
    success successful such suggested summary supergroup support supported suspended swap sync syntax synthetic
    system table tag tags taken takes target targets task tasks team telegram temporarily temporary term terms
    test text texts than that the their them there these they things third this those thread threads throttle
    through thumb thumbnail thumbnails tid time timeline timeout times timestamp title tls to together token
    token's tokeninfo tokens too tool top topic total toward trace traffic transcode transfer transient transition
    trash trending true trust try tweet twice twitter type ugc uid ulid unable unauthenticated unauthorized
    unavailable unchanged unconfirmed under unexpected unique unit unknown unlisted unpublished unreadable
    unsupported until unverified up update updated upgrade upgraded upload uploaded uploading uploads upon
    upstream urgent uri url urls urn us usable usage use used user user's userinfo username users utf util uuid v
    valid validate validated validating validation value values vanity variant variants verified verifier verify
    version versions very via video video's videos view views violation visibility visible visit wait waiting
    warning was watch wav we we're web webhook webhooks webm webp week weight well went were what when where which
    while who width will window with within without word wordpress words work worker would wp write written wrong
    www x xml xrpc year yes yet you you've your yours youtube zero zone
`
    .trim()
    .split(/\s+/),
)
